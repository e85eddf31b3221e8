"""Where counting runs: in memory, by streaming on one machine, or on many. One engine a file.

A release needs of the original only how many records say what: an engine counts them, the searches of `likeness.methods` work on
the counts (`Microdata.copies`), and no method, model or form knows engines. What is written is counted again, part by part.
"""
