//! Whatever ends the search, and however it is tuned: a prefix of the same order.
