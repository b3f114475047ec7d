import { describeRejectFiles } from './reject-files.ts'

// tests/release/compared/reject-files.test.ts has the other formats that GDAL writes.
const formats = ['Shapefile', 'GeoPackage', 'GeoJSON', 'CSV', 'GML', 'MS Office Open XML spreadsheet']
for (const format of formats) describeRejectFiles(format)
