// Writers of the formats of responses and downloads, loaded on first use. Knows no store or layer. Start
// reading at `written-formats.ts`.

export { GeoParquetWriter } from '../geoparquet/geoparquet-writer.ts'
export type { FeatureFormat, FeatureWriter, WrittenAbout, WrittenEnd } from './feature-format.ts'
export {
  type GmlNamespace,
  type GmlVersion,
  gmlFeatureType,
  gmlNamespaces,
  gmlSchema,
  gmlSchemaFrame,
  gmlSchemaImports,
} from './gml/gml-schema.ts'
export { fromGmlId, fromXmlName, gmlId, xmlAttribute, xmlName, xmlText } from './gml/xml-text.ts'
export {
  loadWritten,
  type WrittenFormat,
  type WrittenFormatName,
  type WrittenFormName,
  writtenFormats,
} from './written-formats.ts'
