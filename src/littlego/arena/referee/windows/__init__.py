"""L0 on Windows: one move in a job object, watched from the referee's own process.

It limits CPU time, real time, memory, processes and files of the whole process tree, and ends all of it. It hides
nothing: the program runs with the user's rights and can read, write and connect to whatever the user can.
"""
