/** A feature as text; `more` are members before its geometry, each with a comma behind it. */
export function feature(
  properties: string,
  geometry = '{"type":"Point","coordinates":[1,2]}',
  more = '',
): string {
  return `{"type":"Feature",${more}"geometry":${geometry},"properties":${properties}}`
}

/** A collection of features as text; `more` are members before its features. */
export function collection(features: readonly string[], more = ''): string {
  return `{"type":"FeatureCollection",${more}"features":[${features.join(',')}]}`
}
