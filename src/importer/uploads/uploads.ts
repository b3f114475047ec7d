export type { Uploads } from './resumable-uploads.ts'
export { ResumableUploads } from './resumable-uploads.ts'
export { StoredUploads } from './stored-uploads.ts'
export type { UploadState } from './upload-record.ts'
