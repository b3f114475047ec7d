import { describeRejectFiles } from '../../contract/importer/reject-files.ts'

// tests/contract/importer/reject-files.test.ts has the most common formats, and one of each way to write them.
const formats = ['FlatGeobuf', 'KML', 'MapInfo File', 'SQLite / Spatialite', 'MapML']
for (const format of formats) describeRejectFiles(format)
