/**
 * Returns tiny squares as GeoJSON, most of them in two clusters and one in a hundred larger; the same squares
 * for the same `version`.
 */
export function crowdedSquares(count: number, version: number): string {
  let state = 7
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  const features = Array.from({ length: count }, (_, row) => {
    const x = (row % 2 === 0 ? 7 : -120) + next() * (row % 10 === 0 ? 40 : 2)
    const y = (row % 2 === 0 ? 50 : -30) + next() * 2
    const size = row % 100 === 0 ? 0.5 : 0.0005
    const [left, low, right, high] = [x, y, x + size, y + size].map((side) => side.toFixed(5))
    const ring = `[${left},${low}],[${right},${low}],[${right},${high}],[${left},${high}],[${left},${low}]`
    return `{"type":"Feature","properties":{"n":${row},"v":${version}},"geometry":{"type":"Polygon","coordinates":[[${ring}]]}}`
  })
  return `{"type":"FeatureCollection","features":[${features.join(',')}]}`
}
