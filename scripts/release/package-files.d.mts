export interface PackageManifest {
  name: string
  version: string
  bundle: string
  files: string[]
  dependencies: Record<string, string>
}

export declare function stagePackage(root: string, folder: string): Promise<PackageManifest>
