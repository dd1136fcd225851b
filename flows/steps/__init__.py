"""The work inside flows: each step loads, calls one room, saves, and is done once its batch is in the warehouse."""
