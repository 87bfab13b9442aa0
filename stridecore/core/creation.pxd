# Making tensors: see creation.pyx.
