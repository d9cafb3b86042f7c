export { dashboardRoutes } from './dashboard-routes.js';
export { type DashboardFile, type DashboardFiles, loadDashboard } from './load-dashboard.js';
