/** Address of the file, below that of the script that imports it. */
declare module '*.svg' {
  export default url
  const url: string
}
declare module '*.css'

/** File name of MapLibre's worker beside the scripts. */
declare const MAPLIBRE_WORKER: string
