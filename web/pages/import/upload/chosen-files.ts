/** A selected or dropped file. */
export interface ChosenFile {
  file: File
  /** Its folders below the dropped one, as `a/b`; empty if there are none. */
  folder: string
}

/** Dropped files, and whether they are complete. */
export interface Chosen {
  files: ChosenFile[]
  isCut: boolean
  /** Names of what the browser would not give. */
  unread: string[]
}

/** So many files are taken at once, and folders so deep. */
export const maxFiles = 10_000
const maxDepth = 20

/**
 * Returns dropped files, including those in folders. Must be called during the drop event, since its data
 * become invalid afterwards.
 */
export async function droppedFiles(data: DataTransfer): Promise<Chosen> {
  const entries = [...data.items].flatMap((item) => {
    const entry = item.webkitGetAsEntry()
    return entry === null ? [] : [entry]
  })
  const chosen: Chosen = { files: [], isCut: false, unread: [] }
  for (const entry of entries) await gather(entry, '', chosen)
  return chosen
}

/** Those of an input, where a folder was chosen with their folders. */
export function inputFiles(list: FileList | null): Chosen {
  const files = [...(list ?? [])].filter(({ name }) => !isHidden(name))
  const chosen = files.slice(0, maxFiles).map((file) => {
    const path = file.webkitRelativePath
    return { file, folder: path.slice(0, Math.max(0, path.lastIndexOf('/'))) }
  })
  return { files: chosen, isCut: files.length > maxFiles, unread: [] }
}

async function gather(entry: FileSystemEntry, folder: string, chosen: Chosen): Promise<void> {
  if (chosen.files.length >= maxFiles || folder.split('/').length > maxDepth) {
    chosen.isCut = true
    return
  }
  if (isHidden(entry.name)) return
  try {
    if (entry.isFile) chosen.files.push({ file: await fileOf(entry as FileSystemFileEntry), folder })
    else await gatherFolder(entry as FileSystemDirectoryEntry, folder, chosen)
  } catch {
    chosen.unread.push(entry.name)
  }
}

async function gatherFolder(entry: FileSystemDirectoryEntry, folder: string, chosen: Chosen): Promise<void> {
  const reader = entry.createReader()
  const inside = folder === '' ? entry.name : `${folder}/${entry.name}`
  for (;;) {
    // A reader gives some hundred entries at a time, and none at the end.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    )
    if (some.length === 0) return
    for (const one of some) await gather(one, inside, chosen)
  }
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject))
}

/** True for hidden files of operating systems. */
function isHidden(name: string): boolean {
  return name.startsWith('.') || name === 'Thumbs.db' || name === 'desktop.ini' || name === '__MACOSX'
}
