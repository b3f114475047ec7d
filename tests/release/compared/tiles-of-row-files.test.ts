import { describeRowFiles } from '../../contract/tiles/tiles-of-row-files.ts'

// tests/release/tiles/tiles-of-row-files.test.ts compares tiles with fewer attributes for one kind of key.
describeRowFiles(() => true)
