const browsers = {
  Edg: 'Edge',
  OPR: 'Opera',
  SamsungBrowser: 'Samsung Internet',
  Firefox: 'Firefox',
  FxiOS: 'Firefox',
  CriOS: 'Chrome',
  Chrome: 'Chrome',
  Safari: 'Safari',
}
const systems = {
  iPhone: 'iPhone',
  iPad: 'iPad',
  Android: 'Android',
  Windows: 'Windows',
  CrOS: 'ChromeOS',
  'Mac OS X': 'Mac',
  Linux: 'Linux',
}

const firstIn = (names: Readonly<Record<string, string>>, text: string): string[] =>
  Object.entries(names).flatMap(([mark, name]) => (text.includes(mark) ? [name] : []))

/** A browser's common name, such as `Chrome, Android`; undefined for other clients. */
export const deviceName = (userAgent: string | undefined): string | undefined => {
  const [browser] = firstIn(browsers, userAgent ?? '')
  const [system] = firstIn(systems, userAgent ?? '')
  return [browser, system].filter((part) => part !== undefined).join(', ') || undefined
}
