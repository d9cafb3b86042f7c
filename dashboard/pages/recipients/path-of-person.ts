/** The page of one person: by the id Postrider gave, by `external:` and the application's own, or by address. */
export function pathOfPerson(person: string, companyId: string | undefined): string {
  const query = companyId === undefined ? '' : `?companyId=${encodeURIComponent(companyId)}`;
  return `/recipients/${encodeURIComponent(person)}${query}`;
}
