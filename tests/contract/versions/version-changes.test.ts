import { describeChanges } from './version-changes.ts'

// tests/extended/catalogues/version-changes.test.ts has the other catalogue.
describeChanges('PostgreSQL')
