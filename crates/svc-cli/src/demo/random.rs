//! Numbers that look random and are the same in every run and on every machine (SplitMix64).

/// A sequence of numbers that its seed decides.
pub(super) struct Random(u64);

impl Random {
    /// The sequence of one row of a table, so that each row is the same however the others are made.
    pub(super) fn of_row(table: u64, row: u64) -> Self {
        let mut table = Self(table);
        let mut row = Self(table.next() ^ row);
        Self(row.next())
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 to `end`, without `end`; 0 when that is 0.
    pub(super) fn below(&mut self, end: u64) -> u64 {
        // The high half of the product: the tiny bias for some values does no harm here.
        let wide = u128::from(self.next()) * u128::from(end);
        (wide >> 64) as u64
    }

    /// Whether something happens that does so `percent` times in a hundred.
    pub(super) fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// One word of a list.
    pub(super) fn word(&mut self, from: &'static str) -> &'static str {
        self.pick::<&str>(&from.split(", ").collect::<Vec<_>>())
    }

    /// One of these.
    pub(super) fn pick<'f, T>(&mut self, from: &'f [T]) -> &'f T {
        &from[self.below(from.len() as u64) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_of_a_row_is_fixed() {
        let numbers = || [1, 2, 3, 4].map(|row| Random::of_row(3, row).below(1_000));
        let fixed = numbers();
        assert_eq!(fixed, numbers());
        assert!(fixed.windows(2).all(|two| two[0] != two[1]), "{fixed:?}");
    }

    #[test]
    fn shares_are_what_was_asked_for() {
        let hit = |row: &u64| Random::of_row(1, *row).chance(20);
        let hits = (0..100_000).filter(hit).count();
        assert!((19_500..20_500).contains(&hits), "{hits}");
        assert_eq!(Random::of_row(1, 1).below(0), 0);
    }
}
