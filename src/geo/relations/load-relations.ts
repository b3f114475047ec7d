type Relations = typeof import('./relation-test.ts') & typeof import('./distance-test.ts')

let loaded: Relations | undefined

/** The code of relations, whose library takes a tenth of a second to load. */
export async function loadRelations(): Promise<Relations> {
  loaded ??= { ...(await import('./relation-test.ts')), ...(await import('./distance-test.ts')) }
  return loaded
}

/** Returns the result of an earlier `loadRelations`. */
export function requireRelations(): Relations {
  if (loaded !== undefined) return loaded
  throw new Error('Spatial relations were not loaded before a filter that uses one')
}
