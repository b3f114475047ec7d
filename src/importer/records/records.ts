export {
  deleteGranule,
  findGranule,
  insertGranules,
  listGranules,
  replaceGranules,
  saveGranule,
} from './granule-repository.ts'
export { ImportFiles } from './import-files.ts'
export {
  changesPath,
  dryRunRejectsPath,
  makeUploadFolder,
  placedFolder,
  rejectsPath,
  removeChanges,
  removeOldRejects,
  removeRejects,
  removeUploadFolder,
  removeUploads,
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
export type { ImportSummary } from './import-summaries.ts'
export type { Keeping, Saving } from './save-and-notify.ts'
export { finalizeImport, saveAndPublish, saveTaskAndPublish } from './save-and-notify.ts'
export { StoredImports } from './stored-imports.ts'
export {
  deleteTask,
  findTask,
  getTask,
  insertTask,
  listDryRuns,
  listTaskStates,
  listTasks,
  listTasksInState,
  saveTask,
} from './task-repository.ts'
