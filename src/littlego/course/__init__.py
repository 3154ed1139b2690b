"""The course's own interfaces: its starter files, written anew, and the program that plays a 2019 class.

`kit/` and `kit2019/` are data: they are copied out to users, run without this package and on
Python 3.7, and keep the course's names for things.
"""
