import { describeLongNames } from '../contract/long-names.ts'

// tests/release/hostile/long-names.test.ts imports each name so often that its number has two digits.
describeLongNames(3)
