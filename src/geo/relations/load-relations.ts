type Relations = typeof import('./relation-test.ts')

let loaded: Relations | undefined

/** The code of relations, whose library takes a tenth of a second to load. */
export async function loadRelations(): Promise<Relations> {
  loaded ??= await import('./relation-test.ts')
  return loaded
}

/** What `loadRelations` gave before; undefined where nobody called it. */
export function loadedRelations(): Relations | undefined {
  return loaded
}
