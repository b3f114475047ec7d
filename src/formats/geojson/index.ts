// Reads geometries, features and patches from GeoJSON. Knows no store. Start reading at
// `geometry-from-json.ts`.

export { type EditedFeature, parseFeatureBody, parsePatchBody } from './edited-feature.ts'
export { geometryFromJson } from './geometry-from-json.ts'
export {
  isWrittenObject,
  mergePatch,
  parseWritten,
  plainJson,
  type WrittenJson,
  WrittenNumber,
} from './written-json.ts'
