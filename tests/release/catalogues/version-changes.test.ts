import { describeChanges } from '../../contract/versions/version-changes.ts'

// tests/contract/versions/version-changes.test.ts has the other catalogue.
describeChanges('SQLite')
