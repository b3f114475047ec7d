const features = [
  { kind: 'oak', n: 1, geometry: { type: 'Point', coordinates: [10, 50] } },
  { kind: 'Größe "x" <&>', n: 2, geometry: { type: 'Point', coordinates: [11, 51] } },
  { kind: '', n: 3, geometry: { type: 'Point', coordinates: [12, 52] } },
  { kind: null, n: null, geometry: null },
]
export const collection = JSON.stringify({
  type: 'FeatureCollection',
  features: features.map(({ geometry, ...properties }) => ({ type: 'Feature', properties, geometry })),
})
