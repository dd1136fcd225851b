"""The graders that gradatim brings, one a file; a third party adds more by entry point."""
