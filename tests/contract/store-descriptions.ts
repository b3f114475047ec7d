import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { StoreDescription } from '../../src/stores/description.ts'
import { findStoreDescription, findStoreServing, isSecretParameter } from '../../src/stores/registry.ts'

/**
 * Tests rules across the entries of the registry: each entry can be found, and none is mistaken for another.
 */
export function describeDescriptions(stores: readonly StoreDescription[]): void {
  describe('descriptions of stores', () => {
    it('have types and names of their own, in the form in which they are looked up', () => {
      const types = stores.map(({ type }) => type)
      assert.equal(new Set(types.map((type) => type.toLowerCase())).size, stores.length)
      const names = stores.flatMap((store) => store.names)
      assert.equal(new Set(names).size, names.length)
      for (const name of names) assert.equal(name, name.toLowerCase().replaceAll(/[\s_-]/g, ''))
      for (const store of stores) assert.equal(findStoreDescription(store.type), store)
      assert.equal(findStoreDescription('constructor'), undefined)
    })

    it('are those of a file or of a database, and lead from a format to the one store that serves it', () => {
      for (const store of stores) {
        assert.notEqual(store.file === undefined, store.server === undefined, store.type)
        if (store.file === undefined) continue
        assert.match(store.file.extension, /^[a-z0-9]+$/)
        assert.equal(findStoreServing(store.file.format), store)
      }
      assert.equal(findStoreServing(undefined), undefined)
    })

    it('say what is secret and what it is for', () => {
      for (const { secrets, server, type } of stores) {
        for (const name of secrets) assert.ok(isSecretParameter(name.toUpperCase()), `${type}: ${name}`)
        if (secrets.length > 0) assert.notDeepEqual(server?.passwordScope ?? [], [], type)
      }
      assert.equal(isSecretParameter('host'), false)
    })

    it('of stores that take no loads give requests no name to make them by', () => {
      for (const { can, names, type } of stores) {
        if (!can.takesLoads)
          assert.deepEqual([names, can.hasIndexes, can.oneLoadAtATime], [[], false, false], type)
      }
    })
  })
}
