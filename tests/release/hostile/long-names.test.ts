import { describeLongNames } from '../../contract/long-names.ts'

// tests/release/long-names-in-stores.test.ts imports each name three times.
describeLongNames(13)
