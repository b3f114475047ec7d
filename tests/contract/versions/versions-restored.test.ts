import { describeRestores } from './versions-restored.ts'

// tests/extended/catalogues/versions-restored.test.ts has the other catalogue.
describeRestores('SQLite')
