export { dropTrials, removeStaged } from './drop-trial.ts'
export { endRehearsal, rehearsalHandler } from './rehearse-import.ts'
export type { RehearseNeeds } from './rehearse-needs.ts'
export { rehearseJob, startRehearsal } from './start-rehearsal.ts'
