"""Text engines that run in this process."""
