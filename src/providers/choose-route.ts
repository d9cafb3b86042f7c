import { PostriderError, type Randomness } from '../kernel/index.js';
import type { Route } from './route.js';

/**
 * Which route an email takes, and which others it may fail over to. The most specific match wins;
 * among equals the weights decide, or the order in which they were written. One route takes
 * everything, so an email whose route is not configured any more always has a way out. No email
 * goes by a route kept for other companies, types or regions, whatever name was written with it.
 */
export interface RouteTable {
  readonly routes: readonly Route[];
  /** The name written with the email at accept. */
  choose(email: RoutedEmail, random: Randomness): string;
  /** That route first, where it serves this email and else one chosen anew, then the others that serve this email, the most specific first. */
  candidates(name: string, email: RoutedEmail, random: Randomness): Route[];
  /** The same without an email at hand: only those that serve every email of the route. */
  stand(name: string): readonly Route[];
}

export interface RoutedEmail {
  tenant: string;
  type: string | null;
  /** Of the store that holds it; null: it has none. */
  region: string | null;
}

export function createRouteTable(routes: readonly Route[]): RouteTable {
  checkRoutes(routes);
  const byName = new Map(routes.map((route) => [route.name, route]));
  const ranked = [...routes].sort((a, b) => rank(b) - rank(a));
  const forAll = ranked.filter((route) => rank(route) === 0);
  /** Asked for several times an email. */
  const stands = new Map<string, Route[]>();

  function choose(email: RoutedEmail, random: Randomness): Route {
    if (ranked.length === 1) return ranked[0]!;
    const matching = ranked.filter((route) => serves(route, email));
    const best = matching.filter((route) => rank(route) === rank(matching[0]!));
    return best.some((route) => route.weight !== undefined) ? draw(best, random) : best[0]!;
  }

  return {
    routes,
    choose: (email, random) => choose(email, random).name,
    candidates(name, email, random) {
      const written = byName.get(name);
      const first = written && serves(written, email) ? written : choose(email, random);
      return [first, ...ranked.filter((route) => route !== first && serves(route, email))];
    },
    stand(name) {
      const known = stands.get(name);
      if (known) return known;
      const first = byName.get(name);
      // Any name may be written with an email: only those of routes are kept.
      if (!first) return forAll;
      const stand = [first, ...ranked.filter((route) => route !== first && covers(route, first))];
      stands.set(name, stand);
      return stand;
    },
  };
}

function checkRoutes(routes: readonly Route[]): void {
  const refuse = (message: string) =>
    new PostriderError('INVALID_CONFIG', `The routes ${message}.`, { field: 'routes' });
  const problem = findRouteProblem(routes);
  if (problem !== null) throw refuse(problem);
}

/** What is wrong with the routes as a whole, as the end of a sentence that starts with them. */
export function findRouteProblem(routes: ReadonlyArray<Pick<Route, 'name' | Condition>>): string | null {
  const names = routes.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) return `have the name ${twice} twice`;
  if (!routes.some((route) => rank(route) === 0))
    return 'need one without companies, types and regions, for the emails no other takes';
  return null;
}

type Condition = 'companies' | 'types' | 'regions';

/** A route for a company is closer to an email than one for a type, and that closer than one for a region. */
function rank({ companies, types, regions }: Pick<Route, Condition>): number {
  return (companies ? 4 : 0) + (types ? 2 : 0) + (regions ? 1 : 0);
}

function serves(route: Route, email: RoutedEmail): boolean {
  const { companies, types } = route;
  const { tenant, type } = email;
  return (
    (!companies || companies.includes(tenant)) &&
    (!types || (type !== null && types.includes(type))) &&
    isHome(route, email)
  );
}

function isHome({ regions }: Route, { region }: RoutedEmail): boolean {
  return !regions || (region !== null && regions.includes(region));
}

/** Whether every email `route` serves is served by `other` too. */
function covers(other: Route, route: Route): boolean {
  const all = (wider: readonly string[] | undefined, narrower: readonly string[] | undefined) =>
    !wider || (narrower?.every((item) => wider.includes(item)) ?? false);
  return (
    all(other.companies, route.companies) &&
    all(other.types, route.types) &&
    all(other.regions, route.regions)
  );
}

function draw(routes: readonly Route[], random: Randomness): Route {
  const weightOf = (route: Route) => route.weight ?? 1;
  const total = routes.reduce((sum, route) => sum + weightOf(route), 0);
  let left = random() * total;
  for (const route of routes) {
    if (left < weightOf(route)) return route;
    left -= weightOf(route);
  }
  return routes[0]!;
}
