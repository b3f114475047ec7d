import type { Flow } from './steps.ts'
import { curl, items, json, run, treesImport } from './steps.ts'

const layer = 'http://localhost:8080/rest/layers/default:trees'
const versions = `${layer}/versions`
const restore = (version: number, what: string): string =>
  curl(`-X POST ${versions}/${version}/restore ${json} -d '{"what":[${what}]}'`)

/** A layer is replaced, compared with its previous version, restored, deleted, and restored again. */
export const versionsAndUndo: Flow = {
  name: 'flow-12-versions',
  title: 'Flow 12: versions and undo',
  about: 'A layer is replaced, compared with its previous version, restored, deleted, and restored again.',
  steps: [
    {
      says: 'Write a file of trees, the state of Monday.',
      command: "printf 'id,kind,lat,lon\\n1,oak,52,13\\n2,ash,52.1,13.1\\n' > trees.csv",
    },
    ...treesImport(0, '"updateMode":"CREATE"'),
    { says: 'Run the import.', command: run('/0') },
    {
      says: 'Write the state of Tuesday: the ash is a lime, and the oak was removed.',
      command: "printf 'id,kind,lat,lon\\n2,lime,52.1,13.1\\n' > trees.csv",
    },
    ...treesImport(1, '"updateMode":"REPLACE"'),
    { says: 'Run the import.', command: run('/1') },
    { says: 'Each change of the layer is a version.', command: curl(versions) },
    {
      says: 'Show the first version. A version in archive storage is copied first.',
      command: items('default:trees', 'version=1'),
      until: /"FeatureCollection"/,
    },
    {
      says: 'List the changes of the second version.',
      command: curl(`'${versions}/1/changes?against=2'`),
      until: /"changes"/,
    },
    { says: 'The layer is restored, as a new version.', command: restore(1, '"data"') },
    { says: 'Show the layer.', command: items('default:trees', 'limit=10') },
    { says: 'The second one is pinned.', command: curl(`-X PUT ${versions}/2 ${json} -d '{"pinned":true}'`) },
    { says: 'The layer is deleted.', command: curl(`-X DELETE '${layer}?recurse=true'`) },
    { says: 'Its versions are still there.', command: curl(versions) },
    { says: 'Restore the layer.', command: restore(3, '"data","style"') },
    { says: 'The layer is as it was.', command: items('default:trees', 'limit=10') },
  ],
}
