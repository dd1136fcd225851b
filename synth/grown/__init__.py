"""Tasks grown from corpora without a model: new numbers for word problems, new questions about known programs."""
