import { describeRestores } from './versions-restored.ts'

// tests/release/catalogues/versions-restored.test.ts has the other catalogue.
describeRestores('SQLite')
