export {
  deleteGranule,
  findGranule,
  insertGranules,
  listGranules,
  replaceGranules,
  saveGranule,
} from './granule-repository.ts'
export type { ImportCard } from './import-cards.ts'
export {
  changesPath,
  makeUploadFolder,
  placedFolder,
  rejectsPath,
  removeChanges,
  removeOldRejects,
  removeRejects,
  removeUpload,
  removeUploads,
  trialRejectsPath,
  uploadRoot,
} from './import-folders.ts'
export {
  deleteImport,
  findImport,
  getImport,
  insertImport,
  listIdleImports,
  saveImport,
  takeImportId,
} from './import-repository.ts'
export { KeptImports } from './kept-imports.ts'
export type { Keeping, Saving } from './save-and-tell.ts'
export { saveAndTell, saveTaskAndTell, settleImport } from './save-and-tell.ts'
export {
  deleteTask,
  findTask,
  getTask,
  insertTask,
  listTaskStates,
  listTasks,
  listTasksInState,
  listTrials,
  saveTask,
} from './task-repository.ts'
