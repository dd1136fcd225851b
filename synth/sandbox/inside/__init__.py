"""Code that runs on the far side: launcher, zygote and runner; imports nothing but the standard library.

The folder is put on the path of a bare interpreter as the package `inside`, and read by the judge as
`synth.sandbox.inside`: both ends share `tree` and `frames`.
"""
