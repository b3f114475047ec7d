import { describeChanges } from './version-changes.ts'

// tests/release/catalogues/version-changes.test.ts has the other catalogue.
describeChanges('PostgreSQL')
