import { describeRestores } from '../../contract/versions/versions-restored.ts'

// tests/contract/versions/versions-restored.test.ts has the other catalogue.
describeRestores('PostgreSQL')
