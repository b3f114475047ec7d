import type { Flow } from './steps.ts'
import { curl, get, imports, run, send, treesImport } from './steps.ts'

/** Columns that are unique in data and layer, by which an upsert can match rows. */
export const proposedKeys: Flow = {
  name: 'flow-11-proposed-keys',
  title: 'Flow 11: keys are proposed',
  about: 'By which columns rows are the same is looked for in all rows of the data and of the layer.',
  steps: [
    {
      says: 'Trees on Monday, as a layer.',
      command:
        "printf 'id,kind,height,lat,lon\\n1,oak,20,52,13\\n2,oak,9,52.1,13.1\\n3,elm,11,52.2,13.2\\n' > trees.csv",
    },
    ...treesImport(0, '"updateMode":"CREATE"'),
    { says: 'Execution.', command: run('/0') },
    {
      says: 'On Tuesday one has grown, and one is new.',
      command:
        "printf 'id,kind,height,lat,lon\\n1,oak,21,52,13\\n2,oak,9,52.1,13.1\\n4,yew,30,52.3,13.3\\n' > trees.csv",
    },
    ...treesImport(1, '"updateMode":"CREATE"'),
    {
      says: 'What would do as keys, likeliest first.',
      command: curl(`'${imports}/1/tasks/0/proposals?wait=60'`),
    },
    {
      says: 'The first of them is taken.',
      command: send('PUT', '/1/tasks/0', '{"task":{"updateMode":"UPSERT","keys":["id"]}}'),
    },
    { says: 'Execution.', command: run('/1') },
    { says: 'What was changed.', command: get('/1/tasks/0/changes?format=csv') },
  ],
}
