"""What is wrong with a program's memory accounting: a folder for each family, a module for each kind. Rules select and word."""
