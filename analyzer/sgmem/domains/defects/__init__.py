"""What is wrong with a program's memory accounting: one kind of defect a module. Rules select from it and word."""
