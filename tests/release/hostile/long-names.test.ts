import { describeLongNames } from '../../contract/long-names.ts'

// tests/contract/long-names.test.ts imports each name three times.
describeLongNames(13)
