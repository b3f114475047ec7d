/** Stored in this browser, so that layers can be added to the same map from other pages. */
const lastMapKey = 'terrane.map'

/** Remembers the map that is shown, as the query parameters of its address. */
export function rememberMap(query: string): void {
  try {
    sessionStorage.setItem(lastMapKey, query)
  } catch {
    // Without storage layers are added to a new map.
  }
}

/** Returns the address of the last map of this browser tab with one more layer. */
export function addressWithLayer(id: string): string {
  const query = new URLSearchParams(readLastMap())
  const layers = query.get('layers') ?? ''
  const ids = layers === '' ? [] : layers.split(',').filter((one) => one !== id)
  query.set('layers', [...ids, id].join(','))
  query.delete('at')
  query.delete('opacity')
  return `/app/map?${query}`
}

function readLastMap(): string {
  try {
    return sessionStorage.getItem(lastMapKey) ?? ''
  } catch {
    return ''
  }
}
