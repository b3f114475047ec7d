import { describeRowFiles } from '../../contract/tiles/tiles-of-row-files.ts'

// tests/release/compared/tiles-of-row-files.test.ts compares tiles with fewer attributes for every kind of key and CRS.
describeRowFiles((table) => table === 'keyed')
