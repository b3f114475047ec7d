import type { ComponentType } from 'preact'
import { setKnownPages } from '../lib/known-pages.ts'
import type { Messages } from '../messages/en.ts'

type PageProps = Record<string, string>
type NavName = Exclude<keyof Messages['nav'], 'main' | 'short' | 'raised'>

/** A page: its path pattern, and the code that is loaded when it is opened. */
export interface Page {
  /** Below the base path; `:names` are passed to the page. */
  pattern: string
  load(): Promise<ComponentType<PageProps>>
  /** Those of `web/styles/sheets/` that it needs; they are there before it is shown. */
  sheets?: readonly string[]
  /** Further ones, which the page loads when it needs them. */
  laterSheets?: readonly string[]
  /** Window title; default: its name in the navigation. */
  title?(texts: Messages): string
  /** Its place in the navigation, and the icon it has there. */
  nav?: { name: NavName; icon: string }
  /** The place of the navigation that it belongs to. */
  within?: NavName
  /** True for a page without navigation. */
  isBare?: true
  /** Required role; absent: everybody. */
  needs?: 'user' | 'staff' | 'admin'
}

/** All pages. One line adds a page; its texts are in `web/messages`. */
export const pages: readonly Page[] = [
  {
    pattern: '/',
    title: ({ titles }) => titles.home,
    load: async () => (await import('../pages/home/home.tsx')).Home,
    laterSheets: ['map'],
    nav: { name: 'catalogue', icon: 'layers' },
  },
  {
    pattern: '/app/maps',
    load: async () => (await import('../pages/map/saved-maps.tsx')).SavedMapsPage,
    sheets: ['manage'],
    nav: { name: 'maps', icon: 'map' },
  },
  {
    pattern: '/app/import',
    load: async () => (await import('../pages/import/start-import.tsx')).StartImportPage,
    sheets: ['import', 'import-sources'],
    nav: { name: 'import', icon: 'upload' },
    needs: 'staff',
  },
  {
    pattern: '/app/imports',
    title: ({ titles }) => titles.imports,
    load: async () => (await import('../pages/import/import-list.tsx')).ImportListPage,
    sheets: ['import', 'import-history'],
    within: 'import',
    needs: 'staff',
  },
  {
    pattern: '/app/imports/:id',
    load: async () => (await import('../pages/import/import-page.tsx')).ImportPage,
    sheets: [
      'import',
      'map',
      'import-sources',
      'import-columns',
      'import-deciding',
      'import-end',
      'import-together',
    ],
    within: 'import',
    needs: 'staff',
  },
  {
    pattern: '/app/layers/:layer',
    load: async () => (await import('../pages/layer/layer-page.tsx')).LayerPage,
    sheets: ['layer', 'map', 'access'],
    within: 'catalogue',
  },
  {
    pattern: '/app/layers/:layer/style',
    load: async () => (await import('../pages/layer/style-page.tsx')).StylePage,
    sheets: ['layer', 'layer-style', 'map'],
    within: 'catalogue',
  },
  {
    pattern: '/app/usage',
    load: async () => (await import('../pages/usage/usage.tsx')).UsagePage,
    sheets: ['charts', 'usage'],
    nav: { name: 'usage', icon: 'chart' },
    needs: 'user',
  },
  {
    pattern: '/app/usage/report',
    title: ({ titles }) => titles.report,
    load: async () => (await import('../pages/report/report-page.tsx')).ReportPage,
    sheets: ['report'],
    within: 'usage',
    needs: 'user',
  },
  {
    pattern: '/app/alerts',
    load: async () => (await import('../pages/alerts/alerts.tsx')).AlertsPage,
    sheets: ['charts', 'alerts'],
    nav: { name: 'alerts', icon: 'bell' },
    needs: 'user',
  },
  {
    pattern: '/app/alerts/:id',
    load: async () => (await import('../pages/alerts/alerts.tsx')).AlertsPage,
    sheets: ['charts', 'alerts'],
    within: 'alerts',
    needs: 'user',
  },
  {
    pattern: '/app/account',
    title: ({ titles }) => titles.account,
    load: async () => (await import('../pages/account/account.tsx')).Account,
    sheets: ['account'],
    needs: 'user',
  },
  {
    pattern: '/app/sign-in',
    title: ({ signIn }) => signIn.title,
    load: async () => (await import('../pages/sign-in/sign-in.tsx')).SignInPage,
  },
  {
    pattern: '/embed/map',
    load: async () => (await import('../pages/map/embedded-map.tsx')).EmbeddedMap,
    sheets: ['map', 'shared-map'],
    isBare: true,
    title: ({ map }) => map.title,
  },
  {
    pattern: '/app/map',
    load: async () => (await import('../pages/map/map.tsx')).MapPage,
    sheets: ['layer', 'map', 'shared-map'],
    within: 'maps',
  },
  {
    pattern: '/app/workspaces',
    title: ({ titles }) => titles.workspaces,
    load: async () => (await import('../pages/manage/workspaces.tsx')).WorkspacesPage,
    sheets: ['manage', 'access'],
    nav: { name: 'manage', icon: 'gear' },
    needs: 'staff',
  },
  {
    pattern: '/app/stores',
    title: ({ titles }) => titles.stores,
    load: async () => (await import('../pages/manage/stores.tsx')).StoresPage,
    sheets: ['manage'],
    within: 'manage',
    needs: 'staff',
  },
  {
    pattern: '/app/sources',
    title: ({ titles }) => titles.sources,
    load: async () => (await import('../pages/sources/sources.tsx')).SourcesPage,
    sheets: ['manage', 'sources'],
    within: 'manage',
    needs: 'staff',
  },
  {
    pattern: '/app/new-source',
    title: ({ titles }) => titles.newSource,
    load: async () => (await import('../pages/sources/new-source.tsx')).NewSourcePage,
    sheets: ['manage', 'sources'],
    within: 'manage',
    needs: 'staff',
  },
  {
    pattern: '/app/sources/:source',
    title: ({ titles }) => titles.sources,
    load: async () => (await import('../pages/sources/source-page.tsx')).SourcePage,
    sheets: ['manage', 'import', 'sources'],
    within: 'manage',
    needs: 'staff',
  },
  {
    pattern: '/app/layer-groups',
    title: ({ titles }) => titles.layerGroups,
    load: async () => (await import('../pages/manage/layer-groups.tsx')).LayerGroupsPage,
    sheets: ['manage', 'access', 'shared-map'],
    within: 'manage',
    needs: 'staff',
  },
  {
    pattern: '/app/users',
    title: ({ titles }) => titles.users,
    load: async () => (await import('../pages/manage/users.tsx')).UsersPage,
    sheets: ['manage'],
    within: 'manage',
    needs: 'admin',
  },
  {
    pattern: '/app/groups',
    title: ({ titles }) => titles.groups,
    load: async () => (await import('../pages/manage/groups.tsx')).GroupsPage,
    sheets: ['manage', 'access'],
    within: 'manage',
    needs: 'admin',
  },
  {
    pattern: '/app/audit',
    title: ({ titles }) => titles.audit,
    load: async () => (await import('../pages/manage/audit.tsx')).AuditPage,
    sheets: ['manage', 'access'],
    within: 'manage',
    needs: 'admin',
  },
]

setKnownPages(pages.map(({ pattern }) => pattern))
